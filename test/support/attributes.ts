import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'

/** Output of the system's program for extended attributes. */
export function runAttributes(program: 'getfattr' | 'setfattr', ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  assert.equal(status, 0, `${program} ${words.join(' ')}: ${stderr}`)
  return stdout
}
