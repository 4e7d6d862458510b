export const holds = { title: 'Holds' };
