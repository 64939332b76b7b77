/** What an answer brought with `include=names`, by uuid. */
export type Names = Readonly<Record<string, { name: string }>> | undefined

/** Own keys alone count: an id may be `constructor`. */
export const nameIn = (names: Names, id: string): string | undefined =>
  names !== undefined && Object.hasOwn(names, id) ? names[id]?.name : undefined
