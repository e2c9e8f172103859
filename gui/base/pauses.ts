/** Pauses that can be ended early. */
export class Pauses {
  readonly #waiting = new Set<() => void>()

  /** Resolves after the time, or as soon as pauses are ended. */
  async pause(timeMs: number): Promise<void> {
    let end = () => {}
    let timer: ReturnType<typeof setTimeout> | undefined
    await new Promise<void>((resolve) => {
      end = resolve
      this.#waiting.add(end)
      timer = setTimeout(resolve, timeMs)
    })
    clearTimeout(timer)
    this.#waiting.delete(end)
  }

  end(): void {
    for (const end of this.#waiting) end()
  }
}
