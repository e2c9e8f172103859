import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Platform } from '../../platform/platform.ts'
import { landscape } from './demo-picture.ts'

const STEP_MS = 3_000
/** New pictures replace older ones, so that the demonstration may run for a week. */
const NEW_PICTURES_MAX = 24
const CLIPS_MAX = 3
const CLIP_BYTES = 6 * 1024 * 1024
/** Random bytes are generated in pieces. */
const PIECE_BYTES = 64 * 1024
const NOTE_LINES_MAX = 30

/** Where the two simulated users save their files. */
export interface DemoDirectories {
  readonly laptop: string
  readonly desk: string
}

/**
 * Simulates two users: every few seconds one of them saves a file, until the signal aborts. The number of files is
 * limited. A write error is ignored: the user may have removed the folder on the page.
 */
export async function simulateEdits(
  platform: Pick<Platform, 'clock' | 'random'>,
  directories: DemoDirectories,
  signal: AbortSignal,
): Promise<void> {
  for (let step = 0; !signal.aborted; step++) {
    await act(platform, directories, step).catch(() => {}) // see above
    await platform.clock.sleep(STEP_MS, signal).catch(() => {}) // the loop ends with the signal
  }
}

async function act(
  { random, clock }: Pick<Platform, 'clock' | 'random'>,
  { laptop, desk }: DemoDirectories,
  step: number,
): Promise<void> {
  const round = Math.floor(step / 4)
  switch (step % 4) {
    case 0:
      return addPicture(join(laptop, 'Photos', 'Today'), round)
    case 1:
      return save(join(desk, 'Documents', 'Notes of the desk.txt'), notes(round, clock.nowMs()))
    case 2:
      return addPicture(join(desk, 'Photos', 'Scans'), round)
    default:
      if (round % 3 !== 0) return save(join(laptop, 'Documents', 'Notes.txt'), notes(round, clock.nowMs()))
      return save(join(desk, 'Photos', 'Clips', `Clip ${1 + ((round / 3) % CLIPS_MAX)}.raw`), noise(random))
  }
}

async function addPicture(directory: string, number: number): Promise<void> {
  const name = (index: number) => join(directory, `IMG_${String(2_001 + index)}.png`)
  await save(name(number), landscape(1_000 + number))
  if (number >= NEW_PICTURES_MAX / 2) await rm(name(number - NEW_PICTURES_MAX / 2), { force: true })
}

function notes(round: number, nowMs: number): string {
  const first = Math.max(0, round - NOTE_LINES_MAX)
  const lines = Array.from({ length: round - first + 1 }, (_, index) => `${first + index + 1}. Something to remember`)
  return `Last saved: ${new Date(nowMs).toISOString()}\n\n${lines.join('\n')}\n`
}

/** Large, and none of its blocks exists elsewhere: the other device has to fetch all of it. */
function noise(random: Platform['random']): Uint8Array {
  const pieces = Array.from({ length: CLIP_BYTES / PIECE_BYTES }, () => random.bytes(PIECE_BYTES))
  return Buffer.concat(pieces)
}

async function save(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}
