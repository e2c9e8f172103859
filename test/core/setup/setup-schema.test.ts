import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setupSchema } from '../../../tools/setup-schema.ts'

test('the published schema of a set-up file is that of the configuration; tools/setup-schema.ts writes it', () => {
  const path = join(import.meta.dirname, '../../../docs/twinfold.schema.json')
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), JSON.parse(JSON.stringify(setupSchema())))
})
