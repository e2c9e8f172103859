import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'

/** What the system's own program for extended attributes says. */
export function runAttributes(program: 'getfattr' | 'setfattr', ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  assert.equal(status, 0, `${program} ${words.join(' ')}: ${stderr}`)
  return stdout
}
