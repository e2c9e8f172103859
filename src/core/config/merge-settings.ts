/** `offer`: conflict copies are made, and a merged text is offered. `on`: texts are merged instead. */
export const MERGE_MODES = ['off', 'offer', 'on'] as const
export type MergeMode = (typeof MERGE_MODES)[number]

/** Programs by pattern: the program and its arguments, in which the placeholders stand for files. */
export type MergePrograms = Readonly<Record<string, readonly string[]>>

const PATTERNS_MAX = 100
const ARGUMENTS_MAX = 100
const LENGTH_MAX = 1_000
/** Lines of `.stignore` that are comments, includes or exceptions. */
const NO_PATTERN = /^\s*(?:$|#|\/\/|!)|[\r\n]/

/** What is wrong with a mode, for a sentence that begins with the setting; undefined if it can be used. */
export function mergeModeProblem(value: unknown): string | undefined {
  return MERGE_MODES.some((mode) => mode === value) ? undefined : `is none of ${MERGE_MODES.join(', ')}`
}

export function mergeUnionProblem(value: unknown): string | undefined {
  if (!isTexts(value)) return 'is not a list of patterns'
  if (value.length > PATTERNS_MAX) return `has more than ${PATTERNS_MAX} patterns`
  return value.map(patternProblem).find((problem) => problem !== undefined)
}

export function mergeProgramsProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not an object'
  const programs = Object.entries(value)
  if (programs.length > PATTERNS_MAX) return `has more than ${PATTERNS_MAX} patterns`
  for (const [pattern, command] of programs) {
    const problem = patternProblem(pattern) ?? commandProblem(command)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** By its form only: the page has no compiler of patterns (`core/merge/rules.ts`). */
function patternProblem(pattern: string): string | undefined {
  if (pattern.length > LENGTH_MAX) return `has a pattern of more than ${LENGTH_MAX} characters`
  if (!NO_PATTERN.test(pattern)) return undefined
  return `has the pattern ${JSON.stringify(pattern)}, which matches no names`
}

function commandProblem(command: unknown): string | undefined {
  if (!isTexts(command) || command.length === 0 || command[0] === '')
    return 'has a program that is not a list with the program and its arguments'
  if (command.length > ARGUMENTS_MAX || command.some((text) => text.length > LENGTH_MAX || text.includes('\0')))
    return `has a program with more than ${ARGUMENTS_MAX} arguments, or one that cannot be passed`
  return command.slice(1).some((text) => text.includes('{output}'))
    ? undefined
    : `has the program ${JSON.stringify(command[0])} without {output}: it has to write the merged file there`
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
