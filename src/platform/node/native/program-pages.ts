/** Addresses of pages of this process. */
export interface PageRange {
  readonly address: number
  readonly sizeBytes: number
}

/** Smaller ones are not worth a call. */
const RANGE_BYTES_MIN = 256 * 1_024
/** Enough for the program headers, which follow the ELF header. */
export const HEADER_BYTES = 4_096

const LOADED = 1
const WRITABLE = 2

/** A line of `/proc/self/maps`: addresses, permissions, offset, device, inode, path. */
const LINE = /^([0-9a-f]+)-([0-9a-f]+) ([r-])([w-])\S\S ([0-9a-f]+) \S+ \d+ +(.+)$/

/**
 * Where an executable is mapped as it is in its file, by the list of mappings and the beginning of the file: the system
 * maps these pages again when they are used. Pages that relocations have changed are in segments that the file
 * declares as writable, also those that are read-only afterwards.
 */
export function programPages(maps: string, file: string, header: Buffer): readonly PageRange[] {
  const mappings = maps.split('\n').flatMap((line) => {
    const [, start, end, , write, offset, path] = LINE.exec(line) ?? []
    if (path !== file) return []
    return [{ start: hex(start), end: hex(end), isWritable: write === 'w', offsetBytes: hex(offset) }]
  })
  const segments = loadedSegments(header)
  const first = mappings.find(({ offsetBytes }) => offsetBytes === 0)
  const firstSegment = segments.find(({ offsetBytes }) => offsetBytes === 0)
  if (first === undefined || firstSegment === undefined) return []
  const bias = first.start - firstSegment.start
  const changed = segments.filter(({ isWritable }) => isWritable)
  return mappings
    .filter(({ start, end, isWritable }) => {
      const isChanged = changed.some((each) => start < each.end + bias && each.start + bias < end)
      return !isWritable && !isChanged && end - start >= RANGE_BYTES_MIN
    })
    .map(({ start, end }) => ({ address: start, sizeBytes: end - start }))
}

interface Segment {
  readonly start: number
  readonly end: number
  readonly offsetBytes: number
  readonly isWritable: boolean
}

/** Of an ELF file of 64 bits, little-endian; none of any other. Whole pages, for every size of page that it permits. */
function loadedSegments(header: Buffer): readonly Segment[] {
  if (header.length < 64 || header.readUInt32BE(0) !== 0x7f454c46 || header.readUInt16BE(4) !== 0x0201) return []
  const [at, size, count] = [integer(header, 32), header.readUInt16LE(54), header.readUInt16LE(56)]
  if (size < 56 || at + size * count > header.length) return []
  return Array.from({ length: count }, (_, i) => header.subarray(at + size * i, at + size * (i + 1)))
    .filter((entry) => entry.readUInt32LE(0) === LOADED)
    .map((entry) => {
      const alignment = Math.max(1, integer(entry, 48))
      const start = integer(entry, 16)
      return {
        start: Math.floor(start / alignment) * alignment,
        end: Math.ceil((start + integer(entry, 40)) / alignment) * alignment,
        offsetBytes: integer(entry, 8),
        isWritable: (entry.readUInt32LE(4) & WRITABLE) !== 0,
      }
    })
}

function integer(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at))
}

function hex(text = ''): number {
  return Number.parseInt(text, 16)
}
