import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  hideCommand,
  isInProfile,
  restrictAdvice,
  restrictCommand,
  userCommand,
  userSid,
} from '../../src/core/windows-programs.ts'

test('programs of Windows are named by their full path, and paths are single arguments', () => {
  assert.deepEqual(hideCommand('D:\\WinNT', 'C:\\my folder\\.stfolder'), {
    program: 'D:\\WinNT\\System32\\attrib.exe',
    args: ['+H', 'C:\\my folder\\.stfolder'],
  })
  for (const unknown of [undefined, ''])
    assert.equal(userCommand(unknown).program, 'C:\\Windows\\System32\\whoami.exe', 'the usual place')
})

test('a home is given to its user, the system and administrators, with all that is made in it', () => {
  const { program, args } = restrictCommand('C:\\Windows', 'D:\\home', 'S-1-5-21-1-2-3-1001')
  assert.equal(program, 'C:\\Windows\\System32\\icacls.exe')
  assert.deepEqual(args, [
    'D:\\home',
    '/inheritance:r',
    '/grant:r',
    '*S-1-5-21-1-2-3-1001:(OI)(CI)F',
    '*S-1-5-18:(OI)(CI)F',
    '*S-1-5-32-544:(OI)(CI)F',
    '/q',
  ])
  assert.match(
    restrictAdvice('D:\\my home'),
    /^icacls "D:\\my home" \/inheritance:r \/grant:r "%USERNAME%:\(OI\)\(CI\)F"/,
  )
})

test('the identifier of the user is the last one of the output, in any form', () => {
  assert.equal(userSid('"pc\\anna","S-1-5-21-10-20-30-1001"\r\n'), 'S-1-5-21-10-20-30-1001')
  assert.equal(userSid('"pc\\S-1-5-18","S-1-5-21-10-20-30-1001"\r\n'), 'S-1-5-21-10-20-30-1001')
  assert.equal(userSid('\nUser Name SID\n======= ====\nVM\\root S-1-5-21-0-0-0-1000\n'), 'S-1-5-21-0-0-0-1000')
  assert.equal(userSid('ERROR: S-1- is unknown'), undefined)
})

const PLACES: Readonly<Record<string, string>> = {
  USERPROFILE: 'C:\\Users\\anna',
  LOCALAPPDATA: 'E:\\Local\\anna',
}
for (const [directory, expected] of [
  ['C:\\Users\\anna\\AppData\\Local\\Syncthing', true],
  ['c:\\users\\ANNA\\x', true],
  ['C:\\Users\\anna', true],
  ['E:\\Local\\anna\\Syncthing', true],
  ['C:\\Users\\anna2\\x', false],
  ['C:\\Users\\anna\\..\\ben', false],
  ['C:\\Users\\anna\\..x', true],
  ['D:\\Users\\anna\\x', false],
  ['\\\\server\\share\\x', false],
] as const)
  test(`${directory} is ${expected ? '' : 'not '}in the profile of the user`, () => {
    assert.equal(
      isInProfile(directory, (name) => PLACES[name]),
      expected,
    )
    assert.equal(
      isInProfile(directory, () => undefined),
      false,
      'nothing is, where it is not known',
    )
  })
