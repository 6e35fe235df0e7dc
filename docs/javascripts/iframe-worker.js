/* Browsers refuse to start a worker for a page that was opened from a file. The search of the site
   needs one, so there a hidden frame does its work. Messages are copied and arrive later, as those
   of a worker do. Pages from a server use a real worker. */
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html>";
      this.ready = new Promise((resolve) => {
        this.frame.onload = () => {
          const inside = this.frame.contentWindow;
          inside.postMessage = (data) => {
            const copy = structuredClone(data);
            setTimeout(() => this.onmessage?.({ data: copy }));
          };
          const script = inside.document.createElement("script");
          script.onload = () => resolve(inside);
          script.onerror = (event) => this.onerror?.(event);
          script.src = url;
          inside.document.head.append(script);
        };
      });
      document.body.append(this.frame);
    }

    postMessage(data) {
      const copy = structuredClone(data);
      this.ready.then((inside) => setTimeout(() => inside.onmessage({ data: copy })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
