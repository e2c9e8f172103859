import type { Entry } from './language.ts'

export const SETTINGS = {} as const satisfies Readonly<Record<string, Entry>>
