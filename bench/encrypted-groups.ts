import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Bench } from './bench-options.ts'
import type { Pair } from './pair.ts'
import { pairsOf, withPair, withTree } from './pairs.ts'
import { recordBoth } from './sync-groups.ts'
import { largeFiles, sameSizeFiles, type Tree } from './tree.ts'
import { twinfold } from './twinfold.ts'

const MIB = 1024 * 1024
const SMALL_BYTES = 4 * 1024
const PASSWORD = 'correct horse battery staple'
const PROGRAM = join(import.meta.dirname, '..', 'src', 'main', 'bin.ts')

/** Rows about an untrusted sink. What is compared with is the plain transfer of Twinfold, measured in between. */
export const ENCRYPTED_GROUPS: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'sync-encrypted-large': encryptedLarge,
  'sync-encrypted-small': encryptedSmall,
}

async function encryptedLarge(bench: Bench): Promise<void> {
  const sizeMib = bench.sizes.syncLargeMib
  await withTree(largeFiles(1, sizeMib), (tree) =>
    encrypted(bench, 'sync-encrypted-large', tree, (elapsedMs) => (sizeMib * MIB) / elapsedMs / 1000),
  )
}

async function encryptedSmall(bench: Bench): Promise<void> {
  const files = bench.sizes.syncSmall
  await withTree(sameSizeFiles(files, SMALL_BYTES), (tree) =>
    encrypted(bench, 'sync-encrypted-small', tree, (elapsedMs) => (files * 1000) / elapsedMs),
  )
}

async function encrypted(bench: Bench, row: string, tree: Tree, speedOf: (elapsedMs: number) => number): Promise<void> {
  for (let round = 0; round < bench.rounds; round++) {
    await withPair(bench, { source: twinfold, sink: twinfold }, tree, async (pair) => {
      const { elapsedMs, sourceCpuS, sinkCpuS } = await pair.connect(tree.files)
      const cpuS = sourceCpuS + sinkCpuS
      bench.record({ row, subject: 'limit', value: speedOf(elapsedMs), cpuS })
      bench.record({ row: `${row}-cpu`, subject: 'limit', value: cpuS })
    })
    for (const ends of pairsOf(bench.programs)) {
      const use = async (pair: Pair, record: Parameters<typeof recordBoth>[4]) => {
        const figures = await pair.connect(tree.files)
        expectDecryptable(pair, tree)
        recordBoth(row, speedOf(figures.elapsedMs), figures, pair, record)
      }
      await withPair(bench, ends, tree, use, { password: PASSWORD })
    }
  }
}

/** An incomplete or wrong transfer would appear fast. */
function expectDecryptable({ sinkRoot }: Pair, { files }: Tree): void {
  const args = [PROGRAM, 'decrypt', sinkRoot, '--verify-only', '--json']
  const env = { ...process.env, FOLDER_PASSWORD: PASSWORD }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
  const verified = status === 0 ? Number(JSON.parse(stdout).files) : Number.NaN
  if (verified !== files) throw new Error(`${verified} of ${files} files verified:\n${stdout}${stderr}`)
}
