/** A sink for lines of text: a log, an audit trail. */
export interface LineSink extends Disposable {
  /** Appends one line and a line feed. Throws with the system's code when it cannot be written. */
  write(line: string): void
}

export interface LineFileOptions {
  /** Rotates beyond this size; 0 never. */
  readonly sizeBytesMax: number
  /** Old files kept beside it, named `name.0.ext` (the newest) and up. */
  readonly oldFilesMax: number
}

export interface Lines {
  /** `-` is standard output, `--` standard error, anything else a file, created readable by its owner only. */
  open(path: string, options: LineFileOptions): LineSink
}
