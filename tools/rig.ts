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

async function use(rig: Rig, { values }: ReturnType<typeof readArguments>): Promise<void> {
  if (values.pictures !== undefined) return takePictures(rig, values.pictures)
  if (values.figures) return measurePage(rig, Number(values.minutes))
  console.log(`The page: ${rig.desk.daemon.url}/  (Ctrl+C ends it)`)
  const ended = new AbortController()
  const changing = changeFiles(rig, Number(values.changes), ended.signal)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  ended.abort()
  await changing
}

function readArguments() {
  return parseArgs({ options: OPTIONS, allowPositionals: true })
}

const given = readArguments()
const [kept] = given.positionals
const directory = kept ?? mkdtempSync(join(tmpdir(), 'twinfold-rig-'))
try {
  await using rig = await startRig(directory, Number(given.values.queue))
  await use(rig, given)
} finally {
  if (kept === undefined) rmSync(directory, { recursive: true, force: true })
}
