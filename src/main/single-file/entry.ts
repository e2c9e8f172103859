import { createRequire, enableCompileCache } from 'node:module'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { getAsset, getRawAsset } from 'node:sea'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import { findCacheDirectory } from './cache-directory.ts'
import { compiledDirectory, unpackProgram } from './unpack.ts'
import { markUse, removeUnused } from './used-versions.ts'

// The main script of the executable. It may not import files itself: what it requires from the unpacked directory may.

try {
  const directory = findCacheDirectory({
    platform: process.platform,
    environment: process.env,
    userHome: userInfo().homedir,
    userId: process.getuid?.(),
  })
  const target = unpackProgram({
    directory,
    list: getAsset('files.json', 'utf8'),
    readFile: (path) => new Uint8Array(getRawAsset(path)),
  })
  markUse(target)
  removeUnused(target, Date.now())
  enableCompileCache(compiledDirectory(target))
  createRequire(join(target, 'package.json'))('./start.cjs')
} catch (error) {
  if (!(error instanceof TwinfoldError)) throw error
  process.stderr.write(`twinfold: error: ${messageOf(error)}\n`)
  process.exitCode = 1
}
