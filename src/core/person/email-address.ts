/** Stands for the identification in `parkEmail`. */
export const parkingPlace = '{identification}';

/** Returns the parking address of a user. Undefined when the identification does not make an e-mail address. */
export function parkingAddress(template: string, identification: string): string | undefined {
  const address = template.replaceAll(parkingPlace, () => identification);
  return isEmailAddress(address) ? address : undefined;
}

/** Checks only that the text looks like one address: RFC 5321 leaves the rest to the receiving host. */
export function isEmailAddress(text: string): boolean {
  return oneAddress.test(text);
}

const oneAddress = /^[^\s@,;:<>"()[\]\\]+@[^\s@,;:<>"()[\]\\.]+(?:\.[^\s@,;:<>"()[\]\\.]+)+$/;
