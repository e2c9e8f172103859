import { encryptedBlockSize, encryptedOffset, openBlock, paddedSize } from '../../core/encryption/encrypted-record.ts'
import type { FolderCipher } from '../../core/encryption/folder-cipher.ts'
import { NONCE_BYTES, type Seal } from '../../core/encryption/xchacha.ts'
import type { Block } from '../../core/records/block-diff.ts'
import type { Random } from '../../platform/random.ts'
import type { BlockRequest } from '../../protocol/types.ts'

/** A request of ours as an untrusted device understands it. Its reply does not fit the buffer of the plain block. */
export function encryptRequest(cipher: FolderCipher, request: BlockRequest): BlockRequest {
  const { folder, name, offsetBytes, sizeBytes, hash, blockNumber } = request
  return {
    folder,
    name: cipher.encryptName(name),
    offsetBytes: encryptedOffset(offsetBytes, blockNumber),
    sizeBytes: encryptedBlockSize(sizeBytes),
    hash: cipher.file(name).blockToken(hash, offsetBytes),
    fromTemporary: false,
    blockNumber,
  }
}

/** The plain block of a reply. Its hash is checked where every block is. */
export function decryptReply(cipher: FolderCipher, { name, sizeBytes }: BlockRequest, data: Uint8Array): Uint8Array {
  const plain = openBlock(cipher.file(name), data, sizeBytes)
  if (plain === undefined) throw new Error('the device sent a block that was not encrypted for this file')
  return plain
}

/** Whether a request of an untrusted device is for exactly this block of ours, as it was announced. */
export function isAnnouncedBlock(
  cipher: FolderCipher,
  name: string,
  { offsetBytes, sizeBytes, hash, blockNumber }: BlockRequest,
  block: Block,
): boolean {
  if (blockNumber !== block.number || offsetBytes !== encryptedOffset(block.offsetBytes, blockNumber)) return false
  if (sizeBytes !== encryptedBlockSize(block.sizeBytes)) return false
  return cipher.file(name).hashOfToken(hash, block.offsetBytes)?.equals(block.hash) === true
}

/** How a block is sealed for an untrusted device. */
export function sealFor(cipher: FolderCipher, name: string, sizeBytes: number, random: Random): Seal {
  return cipher.file(name).sealWith(random.bytes(NONCE_BYTES), random.bytes(paddedSize(sizeBytes) - sizeBytes))
}
