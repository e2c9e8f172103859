import type { CauseCode } from './cause.ts'

/** Of a folder, device or path, as one word of a shell. */
export function shellName(text: string): string {
  return /^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** The command that solves a cause, or begins to; for others, the one that shows more. */
export function remedyCommand(cause: CauseCode, folder: string): string {
  const name = shellName(folder)
  switch (cause) {
    case 'marker':
      return `twinfold folder mark ${name}`
    case 'missing':
    case 'notDirectory':
    case 'replaced':
      return `twinfold folder set ${name} --path NEW-DIRECTORY`
    case 'lowSpace':
      return `twinfold cli config folders ${name} min-disk-free value set 1`
    case 'lowHome':
      return 'twinfold cli config options min-home-disk-free value set 1'
    case 'full':
      return `twinfold trash empty ${name} --older 7d`
    case 'noSource':
      return `twinfold why ${name}`
    default:
      return `twinfold status ${name}`
  }
}
