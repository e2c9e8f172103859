import { readXml, refuseXml } from '../core/config/xml-read.ts'
import type { XmlElement } from '../core/config/xml-tree.ts'

export const CONFIG_BYTES_MAX = 32 * 1024 * 1024

/**
 * Parses a configuration file to a tree. UTF-8 only, a byte-order mark is skipped, both line ends are accepted. Throws
 * `config-invalid` with line and reason; the caller adds the name of the file.
 */
export function parseXml(data: Uint8Array): XmlElement {
  return readXml(decode(data))
}

function decode(data: Uint8Array): string {
  if (data.length > CONFIG_BYTES_MAX)
    throw refuseXml(1, `the file is larger than ${CONFIG_BYTES_MAX / 1024 / 1024} MiB`)
  if ((data[0] === 0xff && data[1] === 0xfe) || (data[0] === 0xfe && data[1] === 0xff)) {
    throw refuseXml(1, 'the file is UTF-16; save it as UTF-8')
  }
  if (data.length === 0) throw refuseXml(1, 'the file is empty')
  const nul = data.indexOf(0)
  if (nul >= 0) throw refuseXml(lineAt(data, nul), 'a NUL byte: the file is damaged')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data)
  } catch {
    throw refuseXml(lineAt(data, firstBadByte(data)), 'the text is not valid UTF-8')
  }
}

function lineAt(data: Uint8Array, end: number): number {
  let line = 1
  for (let i = 0; i < end; i++) if (data[i] === 0x0a) line++
  return line
}

/** Position of the first invalid byte, for the error message: bisects to the shortest invalid prefix. */
function firstBadByte(data: Uint8Array): number {
  let good = 0
  let bad = data.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(data.subarray(0, middle), { stream: true })
      good = middle
    } catch {
      bad = middle // this prefix is already invalid
    }
  }
  return good
}
