/** Ignore patterns that many folders need. `(?d)`: may be deleted where it keeps a directory from being removed. */
const IGNORE_TEMPLATES = {
  system: [
    '(?d).DS_Store',
    '(?d)._*',
    '(?d).Spotlight-V100',
    '(?d).Trashes',
    '(?d).fseventsd',
    '(?d)Thumbs.db',
    '(?d)desktop.ini',
    '(?d)$RECYCLE.BIN',
    'System Volume Information',
    '(?d)~$*',
  ],
  code: [
    '(?d)node_modules',
    '(?d).venv',
    '(?d)__pycache__',
    '(?d)*.pyc',
    '(?d).gradle',
    '(?d).next',
    '(?d).tox',
    '(?d)*.o',
    '(?d)*.class',
  ],
  photos: ['(?d).thumbnails', '(?d)@eaDir', '(?d).@__thumb', '(?d)*.lrprev', '(?d)*Previews.lrdata'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type IgnoreTemplate = keyof typeof IGNORE_TEMPLATES

export const IGNORE_TEMPLATE_NAMES = Object.keys(IGNORE_TEMPLATES) as readonly IgnoreTemplate[]

/** Whether all patterns of the template are in the text. */
export function hasTemplate(text: string, name: IgnoreTemplate): boolean {
  const lines = new Set(text.split('\n').map((line) => line.trim()))
  return IGNORE_TEMPLATES[name].every((pattern) => lines.has(pattern))
}

/** The text with the patterns of the template, or without them; lines of the user keep their place. */
export function withTemplate(text: string, name: IgnoreTemplate, isOn: boolean): string {
  const patterns: ReadonlySet<string> = new Set(IGNORE_TEMPLATES[name])
  const others = text.split('\n').filter((line) => !patterns.has(line.trim()))
  const kept = others.slice(0, others.findLastIndex((line) => line !== '') + 1)
  return [...kept, ...(isOn ? patterns : [])].join('\n')
}
