/** The part of Markdown that docs/ uses, as HTML. All text is escaped; raw HTML becomes text. */

export interface RenderedSection {
  readonly id: string
  readonly title: string
  /** Plain, for the search. */
  readonly text: string
}

export interface RenderedPage {
  readonly title: string
  readonly html: string
  readonly sections: readonly RenderedSection[]
}

/** Maps the target of a link or an image; undefined leaves only its text. */
export type MapTarget = (target: string, isImage: boolean) => string | undefined

export function renderMarkdown(source: string, mapTarget: MapTarget): RenderedPage {
  const lines = source.replace(/<!--[^]*?-->\n?/g, '').split('\n')
  const html: string[] = []
  const sections: { id: string; title: string; text: string[] }[] = []
  const inline = (text: string) => inlineHtml(text, mapTarget)
  const note = (text: string) => sections.at(-1)?.text.push(plainText(text))
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!
    const heading = /^(#{1,4}) (.*)$/.exec(line)
    if (line.trim() === '') at++
    else if (heading !== null) {
      const [, marks = '', title = ''] = heading
      const id = anchorOf(plainText(title))
      sections.push({ id, title: plainText(title), text: [] })
      html.push(`<h${marks.length} id="${id}">${inline(title)}</h${marks.length}>`)
      at++
    } else if (line.startsWith('```')) {
      const end = lines.indexOf('```', at + 1)
      const code = lines.slice(at + 1, end < 0 ? lines.length : end).join('\n')
      html.push(`<pre>${escapeText(code)}</pre>`)
      note(code)
      at = end < 0 ? lines.length : end + 1
    } else if (line.startsWith('|')) {
      const rows = takeWhile(lines, at, (each) => each.startsWith('|'))
      html.push(tableHtml(rows, inline))
      for (const row of rows) note(row.replaceAll('|', ' '))
      at += rows.length
    } else if (LIST.test(line)) {
      const items = takeWhile(lines, at, (each) => LIST.test(each) || /^ +\S/.test(each))
      html.push(listHtml(items, inline))
      note(items.join('\n'))
      at += items.length
    } else {
      const text = takeWhile(lines, at, (each) => each.trim() !== '' && !BLOCK_START.test(each))
      html.push(`<p>${inline(text.join('\n'))}</p>`)
      note(text.join('\n'))
      at += text.length
    }
  }
  const title = sections[0]?.title ?? ''
  return { title, html: html.join('\n'), sections: sections.map((each) => ({ ...each, text: each.text.join('\n') })) }
}

const LIST = /^(?:-|\d+\.) /
const BLOCK_START = /^(?:#{1,4} |```|\||- |\d+\. )/

/** At least one line, so that every step advances. */
function takeWhile(lines: readonly string[], from: number, belongs: (line: string) => boolean): readonly string[] {
  let end = from + 1
  while (end < lines.length && belongs(lines[end]!)) end++
  return lines.slice(from, end)
}

function listHtml(lines: readonly string[], inline: (text: string) => string): string {
  const items: string[] = []
  for (const line of lines) {
    if (LIST.test(line)) items.push(line.replace(LIST, ''))
    else items[items.length - 1] += `\n${line.trim()}`
  }
  const tag = /^\d/.test(lines[0]!) ? 'ol' : 'ul'
  return `<${tag}>\n${items.map((item) => `<li>${inline(item)}</li>`).join('\n')}\n</${tag}>`
}

function tableHtml(rows: readonly string[], inline: (text: string) => string): string {
  const cellsOf = (row: string) =>
    row
      .replace(/^\||\|\s*$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll('\\|', '|')))
  const [head = '', , ...body] = rows
  const line = (row: string, tag: string) =>
    `<tr>${cellsOf(row)
      .map((cell) => `<${tag}>${cell}</${tag}>`)
      .join('')}</tr>`
  return `<table>\n${line(head, 'th')}\n${body.map((row) => line(row, 'td')).join('\n')}\n</table>`
}

const INLINE = /`([^`]+)`|!\[([^\]]*)\]\(([^)\s]+)\)|\[([^\]]+)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*/g

function inlineHtml(text: string, mapTarget: MapTarget): string {
  let html = ''
  let end = 0
  for (const match of text.matchAll(INLINE)) {
    html += escapeText(text.slice(end, match.index))
    end = match.index + match[0].length
    html += spanHtml(match, mapTarget)
  }
  return html + escapeText(text.slice(end))
}

function spanHtml(match: RegExpMatchArray, mapTarget: MapTarget): string {
  const [, code, alt, image, label, link, bold, slanted] = match
  if (code !== undefined) return `<code>${escapeText(code)}</code>`
  if (image !== undefined) {
    const source = mapTarget(image, true)
    const shown = escapeText(alt ?? '')
    return source === undefined ? shown : `<img src="${escapeText(source)}" alt="${shown}">`
  }
  if (link !== undefined) {
    const target = mapTarget(link, false)
    const inner = inlineHtml(label ?? '', mapTarget)
    return target === undefined ? inner : `<a href="${escapeText(target)}">${inner}</a>`
  }
  return bold === undefined ? `<em>${escapeText(slanted ?? '')}</em>` : `<strong>${escapeText(bold)}</strong>`
}

function plainText(text: string): string {
  return text.replace(INLINE, (_all, code, alt, _image, label, _link, bold, slanted) =>
    String(code ?? alt ?? label ?? bold ?? slanted ?? ''),
  )
}

/** As GitHub makes them, so that links between pages work in both places. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
