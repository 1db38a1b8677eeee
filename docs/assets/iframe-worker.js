/* Searching needs a worker, which browsers do not start for a page that is read from disk. There, a
   hidden frame does its work. Material's plugin "offline" takes this file, by its name, for the script
   that it would load from the network otherwise. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      script.src = url;
      this.inside = new Promise((ready) => {
        script.onload = () => ready(inside);
      });
      inside.document.body.append(script);
    }

    async postMessage(data) {
      const inside = await this.inside;
      inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
