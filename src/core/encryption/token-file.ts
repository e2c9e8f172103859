import { tokenLength } from './keys.ts'

/** In the marker directory of an encrypted folder: shows which password its data was encrypted with. */
export const TOKEN_FILE_NAME = 'syncthing-encryption_password_token'
/** While it is written. */
export const TOKEN_TEMPORARY_NAME = `.${TOKEN_FILE_NAME}.tmp`
/** Far above the length of any token file. */
export const TOKEN_FILE_BYTES_MAX = 16 * 1_024

/** Whether a name without directories is that of a token, in a marker of any name. */
export function isTokenFile(base: string): boolean {
  return base === TOKEN_FILE_NAME || base === TOKEN_TEMPORARY_NAME
}

export function tokenFileText(folder: string, token: Uint8Array): string {
  return `${JSON.stringify({ FolderID: folder, Token: Buffer.from(token).toString('base64') })}\n`
}

/** Undefined for a text that is none, or whose token has not the length of one. */
export function parseTokenFile(text: string): { readonly folder: string; readonly token: Uint8Array } | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const { FolderID: folder, Token: token } = (value ?? {}) as { FolderID?: unknown; Token?: unknown }
  if (typeof folder !== 'string' || typeof token !== 'string') return undefined
  const bytes = Buffer.from(token, 'base64')
  return bytes.length === tokenLength(folder) ? { folder, token: bytes } : undefined
}
