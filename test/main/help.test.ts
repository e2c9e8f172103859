import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCAL_COMMANDS, REMOTE_COMMANDS } from '../../src/main/command-line.ts'
import { commandHelp, overview } from '../../src/main/help.ts'

for (const command of [...LOCAL_COMMANDS, 'reset-database'] as const) {
  test(`help of ${command}: how it is called, and an example`, () => {
    const text = commandHelp('twinfold', command)
    assert.match(text, /^Usage: twinfold /)
    assert.match(text, /\nExample:\n {2}twinfold /)
  })
}

test('the overview names every command, by the name the program was called', () => {
  const text = overview('syncthing')
  for (const command of [...LOCAL_COMMANDS, ...REMOTE_COMMANDS]) {
    if (command !== 'help') assert.match(text, new RegExp(`\\b${command}\\b`))
  }
  assert.ok(!text.includes('twinfold serve'))
})
