import type { PasswordHasher } from '../passwords.ts'

/** bcrypt inline: simulated devices have no threads, and few of them have a password. */
export const simPasswords: PasswordHasher = {
  hash: async (password, salt) => (await import('../files/password-task.ts')).hashNow(password, salt),
  verify: async (password, hash) => (await import('../files/password-task.ts')).verifyNow(password, hash),
}
