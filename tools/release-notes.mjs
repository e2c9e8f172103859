// Puts what changed into the manifest that npm packs and publishes, as `twinfold.changes`, and takes it out again.
// Installations read it from the registry to show the changes of a newer release.
// Plain JavaScript, because npm runs it on whatever Node the machine has.
import { readFileSync, writeFileSync } from 'node:fs'

/** Older releases are in the changelog only. Readers accept 20 releases and 4,000 characters of each. */
const RELEASES_MAX = 12
const TEXT_LENGTH_MAX = 3_000

/** The sections of the changelog, the newest first, as their order is. */
function releaseNotes(changelog) {
  const sections = changelog.split(/^## /m).slice(1, 1 + RELEASES_MAX)
  return sections.flatMap((section) => {
    const [, version, body] = /^v?(\d+\.\d+\.\d+[^\s,]*)[^\n]*\n(.*)$/s.exec(section) ?? []
    return version === undefined ? [] : [{ version, text: shortened(plain(body)) }]
  })
}

/** Lines of a paragraph are joined; Markdown marks are left out. */
function plain(markdown) {
  const joined = markdown.trim().replace(/(\S)\n(?![\n#>|]|\s*[-*+] |\s*\d+\. )\s*/g, '$1 ')
  return joined
    .replace(/^#+ /gm, '')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '$1')
}

function shortened(text) {
  if (text.length <= TEXT_LENGTH_MAX) return text
  const cut = text.slice(0, TEXT_LENGTH_MAX)
  return `${cut.slice(0, Math.max(cut.lastIndexOf('\n'), cut.lastIndexOf(' ')))} …`
}

function fail(message) {
  process.stderr.write(`release-notes: ${message}\n`)
  process.exit(1)
}

const [action] = process.argv.slice(2)
if (action !== 'add' && action !== 'remove') fail('usage: release-notes.mjs add|remove')
// npm reads the manifest for the registry after it has packed.
const isBetween = process.env['npm_lifecycle_event'] === 'postpack' && process.env['npm_command'] === 'publish'
if (isBetween) process.exit(0)
const { twinfold: _replaced, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'))
const changes = action === 'add' ? releaseNotes(readFileSync('CHANGELOG.md', 'utf8')) : []
if (action === 'add' && !changes.some(({ version }) => version === manifest.version)) {
  fail(`CHANGELOG.md has no section for ${manifest.version}; write one before publishing`)
}
const written = action === 'add' ? { ...manifest, twinfold: { changes } } : manifest
writeFileSync('package.json', `${JSON.stringify(written, undefined, 2)}\n`)
