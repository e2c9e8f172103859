import type { Entry } from './language.ts'

export const DEVICE = {} as const satisfies Readonly<Record<string, Entry>>
