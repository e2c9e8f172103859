/** The list of settings without an effect is that of the sources: a setting is used, or it is listed. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEVICE, FOLDER, GUI, OPTIONS } from '../../src/core/config/config-fields.ts'
import { WITHOUT_EFFECT } from '../../gui/view-model/without-effect.ts'

const root = join(import.meta.dirname, '..', '..')

/** Files that name settings without using them: tables, defaults, and reports of the configuration. */
const ONLY_NAMED = [
  /^src\/(rest|cli|client)\//,
  /^src\/core\/config\/(config|config-fields|field|config-json|migrate)/,
  /default-config|usage-report|support-bundle|first-start|^src\/main\/demo\//,
]

const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((file) => !ONLY_NAMED.some((pattern) => pattern.test(file)))
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n')

const isUsed = (name: string) => new RegExp(`(?<![-/\\w'])${name}(?![-/\\w'])`).test(sources)

/** Fields of LDAP are common words; all are used by logins, which `test/process/ldap.test.ts` tests. */
for (const [part, table] of Object.entries({ folder: FOLDER, device: DEVICE, options: OPTIONS, gui: GUI }))
  test(`settings of ${part}: exactly those that are not listed are used`, () => {
    const listed: readonly string[] = WITHOUT_EFFECT[part as keyof typeof WITHOUT_EFFECT]
    assert.deepEqual(
      Object.keys(table).filter((name) => isUsed(name) === listed.includes(name)),
      [],
    )
  })
