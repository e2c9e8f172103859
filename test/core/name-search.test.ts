import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSearchedName, NAME_END, NameMatcher, parseSearchCursor, searchCursor } from '../../src/core/name-search.ts'

const matchesOf = (text: string, ...names: string[]) => new NameMatcher(text).matches(names.join(NAME_END))

test('the last segment is compared in any case, with a slash in the text the whole path', () => {
  const names = ['Photos', 'Photos/a.jpg', 'photos.txt', 'x/Photos/y', 'z/photo']
  assert.deepEqual(matchesOf('PHOTO', ...names), ['Photos', 'photos.txt', 'z/photo'])
  assert.deepEqual(matchesOf('photos/', ...names), ['Photos/a.jpg', 'x/Photos/y'])
  assert.deepEqual(matchesOf('nothing', ...names), [])
})

test('a name whose small letters are longer does not shift the names after it', () => {
  assert.deepEqual(matchesOf('b', 'İİİİ/a', 'İ', 'b', 'İb', 'c'), ['b', 'İb'])
})

test('a text does not reach from one name into the next', () => {
  assert.deepEqual(matchesOf(`a${NAME_END}b`, 'a', 'b'), [])
  assert.deepEqual(matchesOf('ab', 'a', 'b'), [])
  assert.deepEqual(matchesOf('', 'a'), [])
})

test('a cursor of a search in all folders is read as it was written', () => {
  for (const folder of ['docs', 'a/b', 'ä %', '..'])
    for (const after of ['', 'a', 'dir/a b', '%2F', '/'])
      assert.deepEqual(parseSearchCursor(searchCursor({ folder, after })), { folder, after })
})

test('what is no cursor is refused', () => {
  const long = 'a'.repeat(8_193)
  for (const text of ['', 'docs', '/a', '%/a', `docs/a${NAME_END}`, `docs/${long}`, `${long}${long}/a`, 'docs/\ud800'])
    assert.equal(parseSearchCursor(text), undefined, text.slice(0, 20))
  assert.deepEqual([isSearchedName(''), isSearchedName('a'.repeat(8_192)), isSearchedName(long)], [true, true, false])
})
