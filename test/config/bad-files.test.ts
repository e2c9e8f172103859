import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Passwords } from '../../src/config/password.ts'
import { openConfig } from '../../src/config/store.ts'
import type { Config } from '../../src/core/config/config.ts'
import { TwinfoldError } from '../../src/core/errors.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { nodeRandom } from '../../src/platform/node/random.ts'
import { simPasswords } from '../../src/platform/sim/passwords.ts'
import { LOCAL_ID, configFixture } from '../support/config.ts'
import { reportRow } from '../support/effort.ts'
import { quietLogger } from '../support/logger.ts'
import { scratchDirectory } from '../support/scratch.ts'

const FULL = configFixture('full.xml')
const MIB = 1024 * 1024

/** The full configuration with one replacement. */
function with_(from: string | RegExp, to: string): string {
  const changed = FULL.replace(from, () => to)
  assert.notEqual(changed, FULL, `the fixture holds no ${String(from)}`)
  return changed
}

function utf16(text: string): Uint8Array {
  return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
}

function utf16Swapped(text: string): Uint8Array {
  return Buffer.from(utf16(text)).swap16()
}

function wrap(inner: string): string {
  return `<configuration version="37">${inner}</configuration>`
}

function bomb(): string {
  const entities = Array.from({ length: 20 }, (_, i) => `<!ENTITY e${i + 1} "${`&e${i};`.repeat(10)}">`).join('\n')
  return (
    `<?xml version="1.0"?>\n<!DOCTYPE configuration [\n<!ENTITY e0 "x">\n${entities}\n]>\n` +
    `${wrap('<gui><address>&e20;</address></gui>')}`
  )
}

/** The content of the file, and the expected message. Every message names a line. */
const BAD: [name: string, content: string | Uint8Array, expected: RegExp][] = [
  ['empty', '', /line 1: the file is empty/],
  ['blanks only', '  \n\n ', /line \d+:/],
  ['NULs only', new Uint8Array(4096), /line 1: a NUL byte/],
  ['a NUL in the middle', with_('<theme>dark', '<theme>da\0rk'), /line 276: a NUL byte/],
  ['NULs at the end, as after a crash', `${FULL}${'\0'.repeat(512)}`, /NUL byte/],
  ['not XML: JSON', '{"version": 37}', /line 1:/],
  ['not XML: text', 'hello\nworld\n', /line \d:/],
  ['not XML: binary', Uint8Array.from({ length: 512 }, (_, i) => ((i * 37 + 129) % 255) + 1), /line \d+:/],
  ['not XML: HTML', '<!DOCTYPE html><html><body>Not found</body></html>', /line 1: a document type/],
  ['two roots', `${FULL}${FULL}`, /line \d+:/],
  ['text after the root', `${FULL}tail`, /line \d+:/],
  ['text before the root', `head${FULL}`, /line \d+:/],
  ['wrong root', '<config version="37"></config>', /line 1: the root element is <config>/],
  ['a namespaced root', '<x:configuration xmlns:x="urn:x" version="37"></x:configuration>', /line 1: the root element/],
  ['a root in upper case', '<CONFIGURATION version="37"></CONFIGURATION>', /line 1: the root element/],
  ['UTF-16 little-endian', utf16(FULL), /line 1: the file is UTF-16; save it as UTF-8/],
  ['UTF-16 big-endian', utf16Swapped(FULL), /line 1: the file is UTF-16/],
  ['UTF-16 without a mark', Buffer.from(FULL, 'utf16le'), /line 1: a NUL byte/],
  [
    'Latin-1',
    Buffer.from(with_('label="Inbox"', 'label="B\u00fccher"'), 'latin1'),
    /line 49: the text is not valid UTF-8/,
  ],
  [
    'a truncated UTF-8 character',
    Buffer.concat([Buffer.from('<configuration version="37">\n'), Buffer.from([0xc3])]),
    /line 2: the text is not valid UTF-8/,
  ],
  [
    'another encoding declared',
    `<?xml version="1.0" encoding="ISO-8859-1"?>\n${FULL}`,
    /line 1: the encoding is ISO-8859-1/,
  ],
  ['200,000 levels deep', '<a>'.repeat(200_000), /line 1: elements are nested more than 64 deep/],
  [
    '200,000 levels deep, well-formed, below a good root',
    wrap('<x>'.repeat(200_000) + '</x>'.repeat(200_000)),
    /nested more than 64 deep/,
  ],
  ['an entity bomb', bomb(), /line 2: a document type or entity/],
  [
    'an external entity',
    `<!DOCTYPE c [<!ENTITY f SYSTEM "file:///etc/passwd">]>\n${wrap('<gui><user>&f;</user></gui>')}`,
    /line 1: a document type/,
  ],
  [
    'an external entity over the network',
    `<!DOCTYPE c SYSTEM "http://127.0.0.1:9/x.dtd">\n${FULL}`,
    /line 1: a document type/,
  ],
  [
    'a parameter entity',
    `<!DOCTYPE c [<!ENTITY % p SYSTEM "file:///dev/zero"> %p;]>\n${FULL}`,
    /line 1: a document type/,
  ],
  ['a document type in lower case', `<!doctype configuration>\n${FULL}`, /line 1: a document type/],
  ['an undeclared entity', with_('<theme>dark', '<theme>&dark;'), /line 276: a "&" that starts no known entity/],
  ['a bare ampersand', with_('label="Inbox"', 'label="In & out"'), /line 49: a "&"/],
  [
    'a character that XML forbids',
    with_('<theme>dark', '<theme>&#1;'),
    /line 276: <theme> holds a character that XML forbids/,
  ],
  ['larger than the limit', Buffer.alloc(33 * MIB, 'a'), /line 1: the file is larger than 32 MiB/],
  [
    'an attribute of 64 MiB',
    with_('label="Inbox"', `label="${'a'.repeat(64 * MIB)}"`),
    /line 1: the file is larger than 32 MiB/,
  ],
  ['an attribute without quotes', with_('label="Inbox"', 'label=Inbox'), /line \d+:/],
  ['an attribute twice', with_('label="Inbox"', 'label="Inbox" label="Outbox"'), /line \d+:/],
  ['a quoted value never closed', with_('label="Inbox"', 'label="Inbox'), /line \d+:/],
  ['a tag never closed', with_('<theme>dark</theme>', '<theme>dark'), /line \d+:/],
  ['tags crossed', with_('<theme>dark</theme>\n    </gui>', '<theme>dark</gui>\n    </theme>'), /line \d+:/],
  ['a comment never closed', with_('<gui ', '<!-- <gui '), /line \d+: "<!--" is never closed/],
  ['a CDATA section never closed', with_('<theme>dark', '<theme><![CDATA[dark'), /line \d+: .*never closed/],
  [
    'text between elements',
    with_('<gui ', 'oops <gui '),
    /line \d+: <configuration> holds text where only elements belong/,
  ],
  ['text between the options', with_('<urSeen>', 'oops <urSeen>'), /<options> holds text/],
  ['duplicate folder ids', with_('id="photos"', 'id="inbox"'), /line 9\d: folder "inbox": folder has duplicate ID/],
  ['an empty folder id', with_('id="photos"', 'id=""'), /line 9\d: folder has empty ID/],
  ['no folder id', with_('id="photos" ', ''), /line 9\d: folder has empty ID/],
  ['an empty folder path', with_('path="~/Photos"', 'path=""'), /line 9\d: folder "photos": folder has empty path/],
  ['two gui elements', with_('<ldap>', '<gui></gui><ldap>'), /line \d+: <gui> is given twice/],
  [
    'an option twice',
    with_('<urSeen>0</urSeen>', '<urSeen>0</urSeen><urSeen>1</urSeen>'),
    /line \d+: <urSeen> is given twice/,
  ],
  ['two defaults', with_('</configuration>', '<defaults></defaults></configuration>'), /<defaults> is given twice/],
  [
    'a version that is not a number',
    with_('version="37"', 'version="latest"'),
    /line 1: version is "latest" and must be a whole number/,
  ],
  ['a fractional version', with_('version="37"', 'version="37.5"'), /line 1: version is "37.5"/],
  [
    'text for a number',
    with_('<maxConflicts>5', '<maxConflicts>five'),
    /line 2\d: maxConflicts is "five" and must be a whole number/,
  ],
  ['a fraction for a whole number', with_('<maxConflicts>5', '<maxConflicts>5.5'), /maxConflicts is "5.5"/],
  ['a hexadecimal number', with_('<maxConflicts>5', '<maxConflicts>0x5'), /maxConflicts is "0x5"/],
  ['a number out of range', with_('<maxConflicts>5', `<maxConflicts>${'9'.repeat(30)}`), /maxConflicts is "9+"/],
  [
    'a very long wrong number',
    with_('<maxConflicts>5', `<maxConflicts>${'9'.repeat(MIB)}`),
    /maxConflicts is "9{60}…"/,
  ],
  ['a number with a unit', with_('rescanIntervalS="3600"', 'rescanIntervalS="1h"'), /line 2: rescanIntervalS is "1h"/],
  [
    'infinity',
    with_('fsWatcherDelayS="10"', 'fsWatcherDelayS="Infinity"'),
    /line 2: fsWatcherDelayS is "Infinity" and must be a number/,
  ],
  ['not a number', with_('fsWatcherDelayS="10"', 'fsWatcherDelayS="NaN"'), /fsWatcherDelayS is "NaN"/],
  [
    'a size that is not a number',
    with_('<minDiskFree unit="GB">2', '<minDiskFree unit="GB">two'),
    /line \d+: minDiskFree is "two"/,
  ],
  ['yes for true', with_('<paused>true', '<paused>yes'), /line \d+: paused is "yes" and must be true or false/],
  ['2 for true', with_('enabled="true" tls', 'enabled="2" tls'), /line \d+: enabled is "2" and must be true or false/],
  [
    'a device id too short',
    with_(/<device id="AXH5OLU-[^"]*"/, '<device id="AXH5OLU"'),
    /line 4: id: "AXH5OLU": device ID invalid: incorrect length/,
  ],
  ['a device id with a wrong check character', with_(/WQNH5QQ/, 'WQNH5QA'), /line 4: id: .*check digit incorrect/],
  [
    'a device id with invalid characters',
    with_(/AXH5OLU-D23MM57/, '9XH5OLU-D23MM57'),
    /line 4: id: digit '9' not valid/,
  ],
  ['an invalid time', with_('time="2024-01-02T03:04:05Z"', 'time="yesterday"'), /time="yesterday" is no time/],
  ['an invalid day', with_('time="2024-01-02T03:04:05Z"', 'time="2024-13-45T03:04:05Z"'), /is no time/],
]

/** A file truncated at any position is refused: the last line of a valid one is always significant. */
for (const percent of [1, 5, 20, 40, 60, 80, 95, 99]) {
  BAD.push([`cut off after ${percent} %`, FULL.slice(0, Math.floor((FULL.length * percent) / 100)), /line \d+:/])
}

let refused = 0
let changed = 0

async function open(home: string): Promise<Config> {
  const log = quietLogger('config')
  const passwords = new Passwords({ hasher: simPasswords, random: nodeRandom, clock: nodeClock, log })
  const opened = await openConfig(
    { disk: nodeDisk, clock: nodeClock, random: nodeRandom, passwords, log },
    { path: join(home, 'config.xml'), ownDevice: LOCAL_ID, hostName: 'host', allowNewer: false },
  )
  return opened.current
}

for (const [name, content, expected] of BAD) {
  test(`D-05 a bad config.xml is refused and left unchanged: ${name}`, async () => {
    using home = scratchDirectory()
    const path = join(home.path, 'config.xml')
    const bytes = Buffer.from(content)
    writeFileSync(path, bytes, { mode: 0o640 })
    await assert.rejects(open(home.path), (error) => {
      assert.ok(error instanceof TwinfoldError, String(error))
      assert.equal(error.code, 'config-invalid')
      assert.ok(error.message.startsWith(`${path}: line `), error.message)
      assert.match(error.message, expected)
      assert.ok(error.message.length < 800, 'a message is for reading')
      return true
    })
    refused++
    if (!readFileSync(path).equals(bytes) || (statSync(path).mode & 0o777) !== 0o640) changed++
    assert.equal(changed, 0)
  })
}

test('D-05 a file of a newer format is refused with its number, unless allowed', async () => {
  using home = scratchDirectory()
  writeFileSync(join(home.path, 'config.xml'), with_('version="37"', 'version="99"'))
  await assert.rejects(open(home.path), {
    code: 'config-newer',
    message: /config file version \(99\) is newer than supported version/,
  })
})

const GOOD: [name: string, content: string | Uint8Array][] = [
  ['a byte-order mark is skipped', `\ufeff${FULL}`],
  ['CRLF line ends', FULL.replaceAll('\n', '\r\n')],
  ['an XML declaration', `<?xml version="1.0" encoding="UTF-8"?>\n${FULL}`],
  ['other spellings of true and numbers', FULL.replaceAll('>true<', '>1<').replaceAll('>0<', '> +0 <')],
  ['self-closing elements', FULL.replaceAll('<ldap></ldap>', '<ldap/>')],
  ['comments anywhere', FULL.replace('<gui ', '<!-- a > b "c --><gui ')],
]
for (const [name, content] of GOOD) {
  test(`D-05 accepted, with the same values: ${name}`, async () => {
    using home = scratchDirectory()
    writeFileSync(join(home.path, 'config.xml'), FULL)
    const expected = await open(home.path)
    writeFileSync(join(home.path, 'config.xml'), content)
    assert.deepEqual(await open(home.path), expected)
  })
}

test('D-05 report', () => {
  assert.ok(BAD.length >= 60)
  assert.equal(refused, BAD.length)
  reportRow({ id: 'D-05', tried: BAD.length, refused, fileChanged: changed, accepted: GOOD.length })
})
