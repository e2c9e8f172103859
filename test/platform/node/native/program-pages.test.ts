import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs'
import { test } from 'node:test'
import { posix } from '../../../../src/platform/node/native/posix.ts'
import { HEADER_BYTES, programPages } from '../../../../src/platform/node/native/program-pages.ts'

const PAGE = 0x1000
const [READ, WRITE, EXECUTE] = [4, 2, 1]

interface Segment {
  readonly flags: number
  readonly offset: number
  readonly address: number
  readonly size: number
  readonly alignment?: number
}

function elf(segments: readonly Segment[]): Buffer {
  const header = Buffer.alloc(64 + 56 * segments.length)
  header.write('\x7fELF\x02\x01', 0, 'latin1')
  header.writeBigUInt64LE(64n, 32)
  header.writeUInt16LE(56, 54)
  header.writeUInt16LE(segments.length, 56)
  segments.forEach(({ flags, offset, address, size, alignment = PAGE }, i) => {
    const at = 64 + 56 * i
    header.writeUInt32LE(1, at)
    header.writeUInt32LE(flags, at + 4)
    for (const [place, value] of [offset, address, address, size, size, alignment].entries())
      header.writeBigUInt64LE(BigInt(value), at + 8 + 8 * place)
  })
  return header
}

const line = (start: number, end: number, permissions: string, offset: number, path = '/bin/node') =>
  `${start.toString(16)}-${end.toString(16)} ${permissions} ${offset.toString(16).padStart(8, '0')} fe:00 42   ${path}`

test('code and constants of a program are found, without what relocations changed', () => {
  // A program at any address, with 1 MiB of constants, 2 MiB of code, and 1 MiB of data, of which half was relocated.
  const header = elf([
    { flags: READ, offset: 0, address: 0, size: 0x10_0000 },
    { flags: READ | EXECUTE, offset: 0x10_0000, address: 0x10_0000, size: 0x20_0000 },
    { flags: READ | WRITE, offset: 0x30_0800, address: 0x30_1800, size: 0x10_0000 },
  ])
  const base = 0x5555_0000_0000
  const maps = [
    line(base, base + 0x10_0000, 'r--p', 0),
    line(base + 0x10_0000, base + 0x30_0000, 'r-xp', 0x10_0000),
    line(base + 0x30_1000, base + 0x38_1000, 'r--p', 0x30_0000), // relocated, then made read-only
    line(base + 0x38_1000, base + 0x40_2000, 'rw-p', 0x38_0000),
    line(0x7fff_0000_0000, 0x7fff_0010_0000, 'r-xp', 0, '/lib/libc.so.6'),
    '7fff10000000-7fff10100000 rw-p 00000000 00:00 0 ',
  ].join('\n')
  assert.deepEqual(programPages(maps, '/bin/node', header), [
    { address: base, sizeBytes: 0x10_0000 },
    { address: base + 0x10_0000, sizeBytes: 0x20_0000 },
  ])
  assert.deepEqual(programPages(maps, '/bin/other', header), [])
})

test('with larger pages, constants beside data that may have changed are left', () => {
  const alignment = 0x1_0000
  const header = elf([
    { flags: READ, offset: 0, address: 0x40_0000, size: 0x10_0800, alignment },
    { flags: READ | WRITE, offset: 0x10_0800, address: 0x50_0800, size: 0x8_0000, alignment },
  ])
  const maps = [line(0x40_0000, 0x50_1000, 'r--p', 0), line(0x50_1000, 0x58_0000, 'r--p', 0x10_1000)].join('\n')
  assert.deepEqual(programPages(maps, '/bin/node', header), [])
})

test('a file that is not an ELF file of 64 bits has no such pages', () => {
  const maps = line(0x40_0000, 0x80_0000, 'r-xp', 0)
  const header = elf([{ flags: READ | EXECUTE, offset: 0, address: 0x40_0000, size: 0x40_0000 }])
  assert.equal(programPages(maps, '/bin/node', header).length, 1)
  assert.deepEqual(programPages(maps, '/bin/node', header.subarray(0, 100)), [])
  assert.deepEqual(programPages(maps, '/bin/node', Buffer.from('#!/bin/sh\n'.repeat(20))), [])
  header[4] = 1
  assert.deepEqual(programPages(maps, '/bin/node', header), [])
})

const onLinux = process.platform === 'linux' && posix() !== undefined ? {} : { skip: 'needs native calls of Linux' }

test('of this process, no page is dropped that differs from the file', onLinux, async () => {
  const header = Buffer.alloc(HEADER_BYTES)
  const program = openSync('/proc/self/exe', 'r')
  readSync(program, header)
  closeSync(program)
  const ranges = programPages(readFileSync('/proc/self/maps', 'latin1'), readlinkSync('/proc/self/exe'), header)
  const changed = new Set(
    readFileSync('/proc/self/smaps', 'latin1')
      .split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
      .filter((entry) => !/^Anonymous: +0 kB$/m.test(entry))
      .map((entry) => Number.parseInt(entry, 16)),
  )
  assert.ok(ranges.length > 0)
  for (const { address } of ranges) assert.ok(!changed.has(address), address.toString(16))

  const residentKib = () => Number(/^RssFile:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))![1])
  const before = residentKib()
  await posix()!.dropProgramPages()
  assert.ok(residentKib() < before - 10_000, `${before} KiB, then ${residentKib()}`)
})
