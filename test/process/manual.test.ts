/** Every command block of docs/manual/ is run, each page as one script; the output that a page shows is real. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { blocksOf, MANUAL, runPage, withOutputs } from '../../tools/manual-outputs.ts'
import { CHAPTERS } from '../../tools/manual.ts'
import { missingNamespaces } from '../support/loopback.ts'

const pages = readdirSync(MANUAL).filter((name) => name.endsWith('.md'))
const textOf = (name: string): string => readFileSync(join(MANUAL, name), 'utf8')
const skip = missingNamespaces() ?? false

for (const name of pages) {
  const page = textOf(name)
  const blocks = blocksOf(page)
  if (blocks.length === 0) continue
  test(`docs/manual/${name}: its commands run, with the output that it shows`, { skip }, () => {
    const { outputs, failure } = runPage(page)
    assert.equal(failure, undefined)
    assert.equal(withOutputs(page, outputs), page, 'node tools/manual-outputs.ts PAGE writes it')
  })
}

test('every chapter of the manual exists, with a title and known kinds of blocks only', () => {
  for (const chapter of CHAPTERS) assert.ok(existsSync(join(MANUAL, '..', `${chapter}.md`)), chapter)
  for (const name of pages) {
    assert.ok(CHAPTERS.includes(`manual/${name.replace(/\.md$/, '')}` as (typeof CHAPTERS)[number]), name)
    assert.match(textOf(name), /^# \S/, name)
    const kinds = [...textOf(name).matchAll(/^```(\w+)$/gm)].map(([, kind = '']) => kind)
    assert.deepEqual(
      kinds.filter((kind) => !['sh', 'text', 'ts'].includes(kind)),
      [],
      name,
    )
  }
})

test('a block that the manual leaves to another test is run there', () => {
  for (const name of pages) {
    for (const [, other = ''] of textOf(name).matchAll(/^<!-- run by (\S+) -->$/gm)) {
      const run = `blocksRunBy('${other}'`
      assert.ok(readFileSync(join(MANUAL, '..', '..', other), 'utf8').includes(run), `${name}: ${other}`)
    }
  }
})

/** What people look for. */
const TOPICS = [
  /npm install/,
  /[Uu]pgrade/,
  /[Dd]owngrade/,
  /--gui-password/,
  /https:\/\//,
  /reverse proxy/,
  /ssh -L/,
  /--log-file/,
  /rotated/,
  /--log-format json/,
  /--audit/,
  /noauth\/health/,
  /[Rr]estore/,
  /service install/,
  /[Cc]ontainer/,
  /Memory/,
  /firewall/,
  /Port 22000/,
  /\.stignore/,
  /receiveonly/,
  /versions list/,
  /schedule add/,
  /sync-conflict/,
]

test('the manual covers what a user of a server looks for', () => {
  const all = pages.map(textOf).join('\n')
  assert.deepEqual(
    TOPICS.filter((topic) => !topic.test(all)),
    [],
  )
})
