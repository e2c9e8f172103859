import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isOnPath } from '../test/support/debian.ts'
import type { Bench } from './bench-options.ts'
import { LineChild } from './line-child.ts'
import { field } from './measure.ts'
import { cpuSeconds } from './process-tree.ts'
import { twinfold } from './twinfold.ts'

const CHILD = join(import.meta.dirname, 'sync-limit-child.mjs')

export interface LimitFigures {
  readonly elapsedMs: number
  readonly cpuS: number
}

/** Whose keys the limits use. */
export function limitHome(bench: Pick<Bench, 'scratch'>): string {
  const home = join(bench.scratch, 'limit-home')
  if (existsSync(home)) return home
  mkdirSync(home, { recursive: true, mode: 0o700 })
  twinfold.makeHome(home)
  return home
}

export function keysOf(home: string): readonly [certificate: string, key: string] {
  return [join(home, 'cert.pem'), join(home, 'key.pem')]
}

/** Bytes through TLS from one Node process to another over loopback, without other load, and the CPU of both. */
export async function tlsLimit(bench: Pick<Bench, 'scratch'>, sizeBytes: number): Promise<LimitFigures> {
  const keys = keysOf(limitHome(bench))
  await using receiver = new LineChild(CHILD, ['receive', ...keys])
  const port = field(await receiver.line(), 'port')
  await using sender = new LineChild(CHILD, ['send', ...keys, String(port), String(sizeBytes)])
  const sent = parseFigures(await sender.line())
  const received = parseFigures(await receiver.line())
  return { elapsedMs: received.elapsedMs, cpuS: received.cpuS + sent.cpuS }
}

/** A file read, hashed, and written with fsync, each once, by one Node process that does nothing else. */
export function copyLimit(path: string, copyPath: string): LimitFigures {
  return runChild('copy', path, copyPath)
}

/**
 * Files of 4 KiB written with fsync and rename, by one Node process that does nothing else. They are not removed:
 * creating files is slower after many deletions.
 */
export function fsyncLimit(directory: string, files: number): LimitFigures {
  return runChild('fsync', directory, String(files))
}

/** A tree copied by rsync with fsync for each file, between processes on one machine; undefined without rsync. */
export function rsyncLimit(from: string, to: string): LimitFigures | undefined {
  if (!isOnPath('rsync')) return undefined
  const cpuBefore = cpuSeconds(process.pid)
  const startedMs = performance.now()
  const result = spawnSync('rsync', ['-a', '--fsync', `${from}/`, to], { encoding: 'utf8' })
  const elapsedMs = performance.now() - startedMs
  if (result.status !== 0) throw new Error(`rsync: ${result.stderr}`)
  return { elapsedMs, cpuS: cpuSeconds(process.pid) - cpuBefore }
}

function runChild(job: string, ...args: readonly string[]): LimitFigures {
  const env = { ...process.env, UV_THREADPOOL_SIZE: '16' }
  const result = spawnSync(process.execPath, [CHILD, job, ...args], { encoding: 'utf8', env })
  if (result.status !== 0) throw new Error(`limit ${job}: ${result.stderr}`)
  return parseFigures(JSON.parse(result.stdout))
}

function parseFigures(value: unknown): LimitFigures {
  return { elapsedMs: Number(field(value, 'elapsedMs')), cpuS: Number(field(value, 'cpuS')) }
}
