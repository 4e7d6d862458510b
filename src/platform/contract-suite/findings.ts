/** The platform's behavior differs from the contract. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

/** A check that cannot be made here. The message gives the reason. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}
