import assert from 'node:assert/strict'
import { test } from 'node:test'
import { folderIdFromName } from '../../src/cli/new-folder-id.ts'

test('the ID of a new folder: from the name of its directory, plain and not taken', () => {
  const taken = new Set(['photos', 'photos-2'])
  for (const [name, id] of [
    ['Documents', 'documents'],
    ['My Photos (2026)', 'my-photos-2026'],
    ['Übungen', 'ubungen'],
    ['.config', 'config'],
    ['Photos', 'photos-3'],
    [`${'x'.repeat(39)}--y`, 'x'.repeat(39)],
    ['Фото', undefined],
    ['', undefined],
  ] as const)
    assert.equal(folderIdFromName(name, taken), id, name)
})
