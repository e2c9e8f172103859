/** Builds the manual that the daemon serves at /manual from docs/. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { renderMarkdown, type RenderedPage } from './markdown.ts'

const docs = join(import.meta.dirname, '..', 'docs')

/** The chapters in their order; those that do not exist are left out. */
export const CHAPTERS = [
  'manual/first-steps',
  'manual/files',
  'manual/change',
  'manual/server',
  'manual/troubleshooting',
  'manual/scripting',
  'manual/how-it-works',
  'cli',
  'gui',
  'folders',
  'schedule',
  'network',
  'invitations',
  'untrusted-devices',
  'switching',
  'operations',
  'automation',
  'hooks',
  'rest',
  'glossary',
] as const

export interface ManualPage extends RenderedPage {
  readonly id: string
}

/** All chapters as HTML, and the pictures they show. */
export function renderManual(): { readonly pages: readonly ManualPage[]; readonly pictures: readonly string[] } {
  const pictures = new Set<string>()
  const present = CHAPTERS.filter((chapter) => existsSync(join(docs, `${chapter}.md`)))
  const ids = new Set(present.map((chapter) => basename(chapter)))
  const mapTarget = (target: string, isImage: boolean) => {
    if (isImage) return pictureOf(target, pictures)
    if (target.startsWith('https://') || target.startsWith('#')) return target
    const [path = '', anchor] = target.split('#')
    const id = basename(path, '.md')
    if (!path.endsWith('.md') || !ids.has(id)) return undefined
    return `/manual/${id}${anchor === undefined ? '' : `#${anchor}`}`
  }
  const pages = present.map((chapter) => ({
    id: basename(chapter),
    ...renderMarkdown(readFileSync(join(docs, `${chapter}.md`), 'utf8'), mapTarget),
  }))
  return { pages, pictures: [...pictures] }
}

/** Only drawings: screenshots would make the package much larger. */
function pictureOf(target: string, pictures: Set<string>): string | undefined {
  const name = basename(target)
  if (!name.endsWith('.svg') || !existsSync(join(docs, 'images', name))) return undefined
  pictures.add(name)
  return `/assets/${name}`
}

/** Writes `manual.json` and the pictures into the directory of the web page. */
export function writeManual(directory: string): void {
  const { pages, pictures } = renderManual()
  mkdirSync(join(directory, 'assets'), { recursive: true })
  writeFileSync(join(directory, 'manual.json'), JSON.stringify({ pages }))
  for (const name of pictures) copyFileSync(join(docs, 'images', name), join(directory, 'assets', name))
}
