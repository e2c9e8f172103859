/** An error of the system: `code` for programs, the message for users. */
export class DiskError extends Error {
  override readonly name = 'DiskError'
  readonly code: string
  readonly path: string

  constructor(code: string, message: string, call: string, path: string, options?: ErrorOptions) {
    super(`${code}: ${message}, ${call} '${path}'`, options)
    this.code = code
    this.path = path
  }
}

/**
 * Rejects invalid paths: relative (it would depend on the working directory), with a NUL, or with a lone surrogate,
 * which the system would silently replace by another character.
 */
export function checkPath(path: string, call: string): void {
  const absolute = path.startsWith('/') || /^([a-z]:)?[\\/]/i.test(path)
  if (!absolute) throw new DiskError('EINVAL', 'path is not absolute', call, path)
  if (path.includes('\0')) throw new DiskError('EINVAL', 'path contains a NUL', call, path)
  if (!path.isWellFormed()) throw new DiskError('EILSEQ', 'path is not valid Unicode', call, path)
}
