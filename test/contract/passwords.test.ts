import { after } from 'node:test'
import { PasswordThread } from '../../src/platform/node/threads/password-thread.ts'
import { simPasswords } from '../../src/platform/sim/passwords.ts'
import { passwordsContract } from './passwords.contract.ts'

const thread = new PasswordThread()
after(() => thread[Symbol.asyncDispose]())

passwordsContract('real passwords', () => thread)
passwordsContract('sim passwords', () => simPasswords)
