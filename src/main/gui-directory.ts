import { join } from 'node:path'

/** Where the build puts the web page: beside the compiled sources, in the directory that also holds the sources. */
export function builtGuiDirectory(): string {
  const above = join(import.meta.dirname, '..')
  return import.meta.filename.endsWith('.ts') ? join(above, '..', 'dist', 'gui') : join(above, 'gui')
}
