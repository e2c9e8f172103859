import type { Entry } from './language.ts'

/** The pages of folders and their files. */
export const FOLDER = {} as const satisfies Readonly<Record<string, Entry>>
