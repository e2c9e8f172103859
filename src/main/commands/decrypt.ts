import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { LocalCall } from '../../cli/args/types.ts'
import { passwordInText } from '../../cli/password-file.ts'
import { progressLine } from '../../cli/progress.ts'
import { escapeText, formatCount } from '../../cli/text.ts'
import { FolderCipher } from '../../core/encryption/folder-cipher.ts'
import { parseTokenFile, TOKEN_FILE_NAME } from '../../core/encryption/token-file.ts'
import { isMissing, TwinfoldError } from '../../core/errors.ts'
import { isRemovedMarker } from '../../core/paths.ts'
import { nodeDisk } from '../../platform/node/disk/disk.ts'
import { nodeFolderKeys } from '../../platform/node/folder-keys.ts'
import { nodeSystem } from '../../platform/node/system.ts'
import { EXIT, type ExitCode } from '../args/options.ts'
import { decryptFolder, type DecryptResult } from '../decrypt/decrypt-folder.ts'
import { DEFAULT_MARKER_NAME } from '../../core/folder-stop.ts'

const PROGRESS_INTERVAL_MS = 200

/** Restores or verifies the files of an encrypted folder. The exit code shows whether all of them could be. */
export async function decryptCommand(call: LocalCall): Promise<ExitCode> {
  const { args, flags, print, printError, show } = call
  const from = resolve(args[0] ?? '')
  const to = flags.text('to')
  const isVerifying = flags.isOn('verify-only')
  if ((to === undefined) !== isVerifying) {
    throw new TwinfoldError('usage', 'give either --to, where the plain files go, or --verify-only')
  }
  const cipher = await cipherOf(call, from)
  const isQuiet = flags.isOn('json')
  const line = progressPrinter(isQuiet)
  const problems: { readonly path: string; readonly error: string }[] = []
  const result = await decryptFolder(
    {
      disk: nodeDisk,
      platform: nodeSystem.platform,
      onProgress: line.show,
      onFile: (name, outcome) => {
        if (!flags.isOn('verbose') || isQuiet) return
        line.clear()
        print(`${outcome}: ${escapeText(name)}`)
      },
      onProblem: (path, error) => {
        problems.push({ path, error })
        line.clear()
        if (!isQuiet) printError(`${escapeText(path)}: ${escapeText(error)}`)
      },
    },
    { cipher, from, to: to === undefined ? undefined : resolve(to) },
  )
  line.clear()
  show({ ...result, problems }, summaryOf(result, isVerifying))
  return problems.length === 0 ? EXIT.success : EXIT.error
}

function summaryOf({ files, present, problems, others }: DecryptResult, isVerifying: boolean): string {
  const lines = [
    `${formatCount(files, 'file')} ${isVerifying ? 'verified' : 'restored'}` +
      (present > 0 ? `, ${present} of them were there before` : ''),
  ]
  if (problems > 0) lines.push(`${formatCount(problems, 'item')} could not be ${isVerifying ? 'verified' : 'restored'}`)
  if (others > 0) {
    lines.push(
      `${formatCount(others, 'directory or symlink', 'directories or symlinks')} without content: not restored`,
    )
  }
  return lines.join('\n')
}

/** The folder ID is part of the key; the token, if it is there, shows a wrong password at once. */
async function cipherOf(call: LocalCall, from: string): Promise<FolderCipher> {
  const { flags } = call
  const password = await passwordOf(call)
  const tokenPath = flags.text('token-path')
  const stored = tokenPath === undefined ? await tokenBelow(from) : await tokenOf(resolve(tokenPath))
  const folder = flags.text('folder-id') ?? stored?.folder
  if (folder === undefined) {
    throw new TwinfoldError('usage', 'there is no token file: give the ID of the folder with --folder-id')
  }
  const cipher = new FolderCipher(await nodeFolderKeys.derive(password, folder), folder)
  if (stored?.folder === folder && Buffer.compare(stored.token, cipher.passwordToken) !== 0) {
    throw new TwinfoldError('refused', 'the files were encrypted with another password')
  }
  return cipher
}

async function passwordOf({ flags, environment, printError }: LocalCall): Promise<string> {
  const file = flags.text('password-file')
  if (file !== undefined) return passwordInText(await readFile(resolve(file), 'utf8'))
  const password = flags.text('password')
  if (password === undefined || password === '') {
    throw new TwinfoldError(
      'usage',
      'the password is needed: name its file with --password-file, or set FOLDER_PASSWORD',
    )
  }
  if (password !== environment['FOLDER_PASSWORD']) {
    printError('Warning: other users of this machine can see --password; --password-file hides it')
  }
  return password
}

/** A folder that was removed from its device keeps the token in its renamed marker. */
async function tokenBelow(from: string): Promise<ReturnType<typeof parseTokenFile>> {
  const current = await tokenOf(join(from, DEFAULT_MARKER_NAME, TOKEN_FILE_NAME))
  if (current !== undefined) return current
  const removed = (await readdir(from)).filter(isRemovedMarker).sort()
  for (const marker of removed.toReversed()) {
    const found = await tokenOf(join(from, marker, TOKEN_FILE_NAME))
    if (found !== undefined) return found
  }
  return undefined
}

async function tokenOf(path: string): Promise<ReturnType<typeof parseTokenFile>> {
  try {
    return parseTokenFile(await readFile(path, 'utf8'))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** One line that is overwritten, on a terminal only. */
function progressPrinter(isQuiet: boolean): { show(done: number, total: number): void; clear(): void } {
  const { stderr } = process
  if (!stderr.isTTY || isQuiet) return { show: () => {}, clear: () => {} }
  const startedMs = performance.now()
  let shownMs = 0
  return {
    show(currentBytes, totalBytes) {
      const nowMs = performance.now()
      if (shownMs > 0 && nowMs - shownMs < PROGRESS_INTERVAL_MS) return
      shownMs = nowMs
      const bytesPerSecond = (currentBytes * 1_000) / Math.max(1, nowMs - startedMs)
      const progress = { currentBytes, totalBytes, bytesPerSecond, counted: true }
      const text = progressLine('decrypt', progress, stderr.columns || 80)
      stderr.write(`\r${text}\u001b[K`)
    },
    clear: () => void (shownMs > 0 && stderr.write('\r\u001b[K')),
  }
}
