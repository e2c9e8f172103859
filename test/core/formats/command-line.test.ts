import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { splitCommand, type CommandValues } from '../../../src/core/formats/command-line.ts'
import { reportRow } from '../../support/effort.ts'

const VALUES: CommandValues = {
  '%FOLDER_PATH%': '/data/my docs',
  '%FILE_PATH%': 'a b; rm -rf ~',
  '%FOLDER_FILESYSTEM%': 'basic',
}

function parse(command: string, values = VALUES): readonly string[] | string {
  const result = splitCommand(command, values)
  return result.kind === 'words' ? result.words : result.reason
}

test('a command is split as in a shell, and values are not split', () => {
  assert.deepEqual(parse('/bin/archive --to "my vault" %FOLDER_PATH% %FILE_PATH%'), [
    '/bin/archive',
    '--to',
    'my vault',
    '/data/my docs',
    'a b; rm -rf ~',
  ])
  assert.deepEqual(parse("a 'b c' d\\ e \"f\\\"g\" '' h''i"), ['a', 'b c', 'd e', 'f"g', '', 'hi'])
  assert.deepEqual(parse('  a\t b\n'), ['a', 'b'])
  assert.deepEqual(parse('a --file=%FILE_PATH%'), ['a', '--file=a b; rm -rf ~'])
  assert.deepEqual(parse('a %FILE_PATH% %%FILE_PATH%%', { ...VALUES, '%FILE_PATH%': '%FOLDER_PATH%' }), [
    'a',
    '%FOLDER_PATH%',
    '%%FOLDER_PATH%%',
  ])
})

test('a command that could inject into a shell, or is empty, is refused', () => {
  for (const command of [
    "sh -c 'mv %FILE_PATH% /x'",
    'sh -c "echo $(cat %FILE_PATH%)"',
    'a %FILE_PATH%;',
    'a >%FILE_PATH%',
    "a '%FILE_PATH%*'",
  ]) {
    assert.match(String(parse(command)), /^a placeholder must not be mixed/)
  }
  for (const command of ['', '  ', "''"]) assert.equal(parse(command), 'command is empty')
  for (const command of ['a "b', "a 'b", 'a \\']) assert.equal(parse(command), 'quotes in the command are not closed')
  assert.equal(parse('a \0'), 'command contains a NUL')
})

test('N-12: any file name is exactly one word, unchanged', () => {
  let tried = 0
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((name) => !name.includes('\0')),
      (name) => {
        tried++
        const result = splitCommand('program -x %FILE_PATH% -y', { ...VALUES, '%FILE_PATH%': name })
        assert.deepEqual(result, { kind: 'words', words: ['program', '-x', name, '-y'] })
      },
    ),
    { numRuns: 500 },
  )
  reportRow({ id: 'N-12', tried, how: 'words of the command' })
})
