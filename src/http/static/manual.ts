import { escapeHtml } from '../pipeline/reply.ts'
import { helpFrame } from './help-frame.ts'

/** A page of the manual as the build writes it; its HTML is made from docs/ with all text escaped. */
interface ManualPage {
  readonly id: string
  readonly title: string
  readonly html: string
  readonly sections: readonly { readonly id: string; readonly title: string; readonly text: string }[]
}

export interface Manual {
  readonly pages: readonly ManualPage[]
}

const QUERY_LENGTH_MAX = 100
const WORDS_MAX = 8
const RESULTS_MAX = 50
const SNIPPET_BEFORE = 60
const SNIPPET_LENGTH = 200

export function parseManual(text: string): Manual {
  return JSON.parse(text) as Manual
}

/** One chapter; undefined where there is none of this name. */
export function chapterHtml(manual: Manual, id: string): string | undefined {
  const page = manual.pages.find((each) => each.id === id)
  return page === undefined ? undefined : frame(manual, page.title, `<article>\n${page.html}\n</article>`, page.id, '')
}

/** The contents, or the sections that contain all words of the query. */
export function contentsHtml(manual: Manual, query: string): string {
  const text = query.trim().slice(0, QUERY_LENGTH_MAX)
  const body = text === '' ? contents(manual) : results(manual, text)
  return frame(manual, 'Manual', body, '', text)
}

function frame({ pages }: Manual, title: string, body: string, current: string, query: string): string {
  const links = pages.map(({ id, title: name }) => {
    const mark = id === current ? ' aria-current="page"' : ''
    return `<a href="/manual/${id}"${mark}>${escapeHtml(name)}</a>`
  })
  const head = `<h1><a href="/manual">Manual</a></h1>
<form action="/manual" method="get" role="search">
<input type="search" name="q" value="${escapeHtml(query)}" maxlength="${QUERY_LENGTH_MAX}"
aria-label="Search the manual">
<button>Search</button>
</form>`
  return helpFrame({ title, links, head, body, current: 'manual' })
}

function contents({ pages }: Manual): string {
  const chapters = pages.map(({ id, title, sections }) => {
    const inside = sections
      .slice(1)
      .map((each) => `<li><a href="/manual/${id}#${escapeHtml(each.id)}">${escapeHtml(each.title)}</a></li>`)
    return `<h2><a href="/manual/${id}">${escapeHtml(title)}</a></h2>\n<ul>\n${inside.join('\n')}\n</ul>`
  })
  return chapters.join('\n')
}

function results({ pages }: Manual, query: string): string {
  const words = query.toLowerCase().split(/\s+/).slice(0, WORDS_MAX)
  const found = pages.flatMap((page) =>
    page.sections
      .filter(({ title, text }) => words.every((word) => `${title}\n${text}`.toLowerCase().includes(word)))
      .map((section) => ({ page, section, inTitle: words.some((word) => section.title.toLowerCase().includes(word)) })),
  )
  const shown = found.toSorted((a, b) => Number(b.inTitle) - Number(a.inTitle)).slice(0, RESULTS_MAX)
  const items = shown.map(
    ({ page, section }) =>
      `<li><a href="/manual/${page.id}#${escapeHtml(section.id)}">${escapeHtml(page.title)}: ` +
      `${escapeHtml(section.title)}</a><br>${escapeHtml(snippet(section.text, words[0]!))}</li>`,
  )
  const title = `${found.length} ${found.length === 1 ? 'section' : 'sections'} with ${query}`
  return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
}

function snippet(text: string, word: string): string {
  const start = Math.max(0, text.toLowerCase().indexOf(word) - SNIPPET_BEFORE)
  const part = text.slice(start, start + SNIPPET_LENGTH).replaceAll(/\s+/g, ' ')
  return `${start > 0 ? '…' : ''}${part}${start + SNIPPET_LENGTH < text.length ? '…' : ''}`
}
