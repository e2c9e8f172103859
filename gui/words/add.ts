import type { Entry } from './language.ts'

export const ADD = {} as const satisfies Readonly<Record<string, Entry>>
