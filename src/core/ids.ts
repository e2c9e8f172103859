declare const brand: unique symbol
type Branded<T, Name extends string> = T & { readonly [brand]: Name }

/** The id of a folder as in the config. Never empty. */
export type FolderId = Branded<string, 'FolderId'>

/** A device id in its canonical form: 56 characters in eight groups joined by dashes. */
export type DeviceId = Branded<string, 'DeviceId'>

/** The first 64 bits of a device id, as in version vectors. */
export type ShortId = Branded<bigint, 'ShortId'>

/** The only conversion of text to a folder id; later code does not check it again. */
export function parseFolderId(text: string | null | undefined): FolderId | undefined {
  return text === null || text === undefined || text === '' ? undefined : (text as FolderId)
}
