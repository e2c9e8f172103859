/** Invalid UTF-8 is replaced, as where text arrives over the network. */
export function textOf(input: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(input)
}
