// The words of the page's language, which the page brings along.

export class Words {
  constructor(spoken) {
    this.spoken = spoken;
    this.language = document.documentElement.lang || "en";
  }

  /** The words of that name, with {places} filled in. */
  say(name, places = {}) {
    return (this.spoken[name] ?? name).replace(/\{(\w+)\}/g, (whole, key) => places[key] ?? whole);
  }

  number(value) {
    return new Intl.NumberFormat(this.language).format(value);
  }

  /** A time today, else with its day; in the form in which all pages tell moments. */
  time(moment) {
    const date = new Date(moment);
    const isToday = date.toDateString() === new Date().toDateString();
    const [year, ...others] = [date.getFullYear(), date.getMonth() + 1, date.getDate(), date.getHours(), date.getMinutes()];
    const [month, day, hour, minute] = others.map((part) => String(part).padStart(2, "0"));
    return isToday ? `${hour}:${minute}` : `${year}-${month}-${day} ${hour}:${minute}`;
  }

  /** The size of a file. */
  size(bytes) {
    const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
    const power = bytes > 0 ? Math.min(Math.floor(Math.log10(bytes) / 3), 3) : 0;
    const style = { style: "unit", unit: units[power], maximumFractionDigits: power ? 1 : 0 };
    return new Intl.NumberFormat(this.language, style).format(bytes / 1000 ** power);
  }
}
