import type { Entry } from './language.ts'

export const LOG = {} as const satisfies Readonly<Record<string, Entry>>
