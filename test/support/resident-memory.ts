import { readFileSync } from 'node:fs'

const RESIDENT_FIELD = 23

/**
 * The least resident memory that a process can report here: 0 in an emulator of another processor, whose
 * `/proc/self/stat` has no memory figures.
 */
export function residentBytesMin(): number {
  if (process.platform !== 'linux') return 1_000_000
  return readFileSync('/proc/self/stat', 'utf8').split(' ')[RESIDENT_FIELD] === '0' ? 0 : 1_000_000
}
