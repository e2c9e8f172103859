import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { landscape } from './demo-picture.ts'

/** A file of the demonstration: its path in a folder, what is in it, and its age. */
export interface DemoFile {
  readonly path: string
  readonly content: string | Uint8Array
  readonly ageMinutes: number
}

const ALBUMS = ['Lake', 'Mountains', 'Winter walk']
const PICTURES_PER_ALBUM = 4

/** The conflicting file: both devices saved it before they connected. */
export const CONFLICT_PATH = 'Budget.csv'
/** The file that is saved again once the devices are in sync, so that an old version is kept. */
export const VERSIONED_PATH = 'Plan.md'

export function samplePhotos(): readonly DemoFile[] {
  return ALBUMS.flatMap((album, row) =>
    Array.from({ length: PICTURES_PER_ALBUM }, (_, index) => ({
      path: `${album}/IMG_${String(1_001 + row * PICTURES_PER_ALBUM + index)}.png`,
      content: landscape(row * PICTURES_PER_ALBUM + index + 1),
      ageMinutes: 60 * 24 * (30 - 7 * row) - index,
    })),
  )
}

export function laptopDocuments(): readonly DemoFile[] {
  return [
    { path: CONFLICT_PATH, content: 'month,rent,food\nJanuary,900,310\nFebruary,900,295\n', ageMinutes: 90 },
    {
      path: 'Letters/Landlord.txt',
      content: 'Dear Ms Weber,\n\nthe heating in the hall is cold again.\n',
      ageMinutes: 2_000,
    },
    {
      path: 'Recipes/Bread.txt',
      content: '500 g flour\n350 g water\n10 g salt\n3 g yeast\n\nWait a day.\n',
      ageMinutes: 90_000,
    },
    { path: 'Notes.txt', content: 'Ask for the keys.\n', ageMinutes: 30 },
  ]
}

export function deskDocuments(): readonly DemoFile[] {
  return [
    {
      path: CONFLICT_PATH,
      content: 'month,rent,food\nJanuary,900,310\nFebruary,900,301\nMarch,920,288\n',
      ageMinutes: 20,
    },
    { path: VERSIONED_PATH, content: '# Plan\n\n- paint the kitchen\n- call the electrician\n', ageMinutes: 600 },
    { path: 'Travel diary.txt', content: diary(), ageMinutes: 12_000 },
    { path: 'Taxes/Receipts.txt', content: 'Train 48.20\nBooks 31.00\n', ageMinutes: 5_000 },
  ]
}

function diary(): string {
  const day = (number: number) =>
    `Day ${number}\nWe walked along the coast, had lunch by the water, and wrote postcards.\n`
  return Array.from({ length: 400 }, (_, index) => day(index + 1)).join('\n')
}

export function sampleMusic(): readonly DemoFile[] {
  return ['One.txt', 'Two.txt', 'Three.txt'].map((name) => ({
    path: `Songs/${name}`,
    content: `This is where a song would be.\n`,
    ageMinutes: 100_000,
  }))
}

export function phonePictures(): readonly DemoFile[] {
  return Array.from({ length: 4 }, (_, index) => ({
    path: `Camera_${index + 1}.png`,
    content: landscape(100 + index),
    ageMinutes: 60 * (4 - index),
  }))
}

/** Writes them below a folder, with modification times in the past. */
export async function writeFiles(root: string, files: readonly DemoFile[], nowMs: number): Promise<void> {
  for (const { path, content, ageMinutes } of files) {
    const whole = join(root, path)
    await mkdir(dirname(whole), { recursive: true })
    await writeFile(whole, content)
    const savedS = nowMs / 1_000 - ageMinutes * 60
    await utimes(whole, savedS, savedS)
    await utimes(dirname(whole), savedS, savedS)
  }
}
