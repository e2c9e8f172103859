/**
 * A device as large as some become, to try the page with: 40 folders, 14 devices, 20,000 files in one directory, a long
 * queue, conflicts, a vanished and a full disk, hostile and right-to-left names, pending requests. Loopback only;
 * nothing is announced. `node tools/rig.ts [DIRECTORY]` prints the address of the page and runs until Ctrl+C; without a
 * directory it uses a temporary one, which it removes. Build the page first (tools/gui.ts).
 *
 * `--changes N`: N changes a second in one folder. `--queue N`: items in the queue (2,000). `--pictures DIRECTORY`:
 * pictures of every page in three widths, light and dark, then it ends. `--figures`: latencies, long tasks and heap of
 * the page, then it ends; `--minutes N`: how long the page receives events for the heap (2).
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startRig, type Rig } from './rig/build.ts'
import { changeFiles } from './rig/changes.ts'
import { measurePage } from './rig/figures.ts'
import { takePictures } from './rig/pictures.ts'

const OPTIONS = {
  changes: { type: 'string', default: '0' },
  queue: { type: 'string', default: '2000' },
  pictures: { type: 'string' },
  figures: { type: 'boolean', default: false },
  minutes: { type: 'string', default: '2' },
} as const

/** A second signal ends the process at once. */
function signalled(): AbortSignal {
  const ended = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ended.abort())
  return ended.signal
}

async function use(rig: Rig, { values }: ReturnType<typeof readArguments>, ended: AbortSignal): Promise<void> {
  const stopped = ending(ended)
  if (values.pictures !== undefined) return Promise.race([takePictures(rig, values.pictures), stopped])
  if (values.figures) return Promise.race([measurePage(rig, Number(values.minutes)), stopped])
  console.log(`The page: ${rig.desk.daemon.url}/  (Ctrl+C ends it)`)
  const changing = changeFiles(rig, Number(values.changes), ended)
  await stopped
  await changing
}

async function ending(ended: AbortSignal): Promise<void> {
  if (!ended.aborted) await once(ended, 'abort')
}

function readArguments() {
  return parseArgs({ options: OPTIONS, allowPositionals: true })
}

const given = readArguments()
const [kept] = given.positionals
const ended = signalled()
const directory = kept ?? mkdtempSync(join(tmpdir(), 'twinfold-rig-'))
try {
  await using rig = await startRig(directory, Number(given.values.queue))
  await use(rig, given, ended)
} finally {
  if (kept === undefined) rmSync(directory, { recursive: true, force: true })
}
if (ended.aborted) process.exit() // pictures or figures may still be under way
