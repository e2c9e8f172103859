const UTF8 = '; charset=utf-8'
const TEXT = `text/plain${UTF8}`

/** By the extension in lower case. Source code is shown as text. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ...entries('image/', {
    apng: 'apng',
    avif: 'avif',
    bmp: 'bmp',
    gif: 'gif',
    ico: 'x-icon',
    jpeg: 'jpeg',
    jpg: 'jpeg',
  }),
  ...entries('image/', {
    jxl: 'jxl',
    png: 'png',
    svg: 'svg+xml',
    tif: 'tiff',
    tiff: 'tiff',
    webp: 'webp',
    heic: 'heic',
  }),
  ...entries('audio/', { aac: 'aac', flac: 'flac', m4a: 'mp4', mp3: 'mpeg', oga: 'ogg', ogg: 'ogg', opus: 'ogg' }),
  ...entries('audio/', { wav: 'wav', weba: 'webm', mid: 'midi', midi: 'midi' }),
  ...entries('video/', { avi: 'x-msvideo', m4v: 'mp4', mkv: 'x-matroska', mov: 'quicktime', mp4: 'mp4', mpeg: 'mpeg' }),
  ...entries('video/', { mpg: 'mpeg', ogv: 'ogg', webm: 'webm', '3gp': '3gpp' }),
  ...entries('font/', { otf: 'otf', ttf: 'ttf', woff: 'woff', woff2: 'woff2' }),
  ...entries('application/', { '7z': 'x-7z-compressed', bz2: 'x-bzip2', epub: 'epub+zip', gz: 'gzip', pdf: 'pdf' }),
  ...entries('application/', { rar: 'vnd.rar', rtf: 'rtf', tar: 'x-tar', xz: 'x-xz', zip: 'zip', zst: 'zstd' }),
  ...entries('application/vnd.oasis.opendocument.', { odp: 'presentation', ods: 'spreadsheet', odt: 'text' }),
  ...entries('application/vnd.openxmlformats-officedocument.', {
    docx: 'wordprocessingml.document',
    pptx: 'presentationml.presentation',
    xlsx: 'spreadsheetml.sheet',
  }),
  ['doc', 'application/msword'],
  ['xls', 'application/vnd.ms-excel'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['htm', `text/html${UTF8}`],
  ['html', `text/html${UTF8}`],
  ['css', `text/css${UTF8}`],
  ['csv', `text/csv${UTF8}`],
  ['vtt', `text/vtt${UTF8}`],
  ['json', `application/json${UTF8}`],
  ...(
    'bat c cc cfg conf cpp cs diff go h hpp ics ini java js jsx kt log lua markdown md mjs patch php pl ps1 py r rb ' +
    'rs rst sh sql srt swift tex toml ts tsx txt xml yaml yml'
  )
    .split(' ')
    .map((extension) => [extension, TEXT] as const),
])

function entries(
  prefix: string,
  byExtension: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  return Object.entries(byExtension).map(([extension, rest]) => [extension, prefix + rest] as const)
}

/** The media type of a file by the extension of its name; unknown ones are bytes, which no browser interprets. */
export function contentTypeOf(name: string): string {
  const dot = name.lastIndexOf('.')
  const extension = dot < 0 || name.includes('/', dot) ? '' : name.slice(dot + 1).toLowerCase()
  return TYPES.get(extension) ?? 'application/octet-stream'
}

/** The header `Content-Disposition` (RFC 6266) for any name: an ASCII form, and the exact one in UTF-8. */
export function contentDisposition(kind: 'attachment' | 'inline', name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1).toWellFormed()
  const ascii = base.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(base).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${exact}`
}
