-- For wrk: sends the requests of a file in turn and prints the figures as one line of JSON.
-- Each line of the file: method, path and body, separated by tabs. Arguments: the file, the API key, the header with it.

local made, place = {}, 0

function init(arguments)
   local headers = { ["Content-Type"] = "application/json", [arguments[3]] = arguments[2] }
   for line in io.lines(arguments[1]) do
      local method, path, body = line:match("^(%S+)\t(%S+)\t(.*)$")
      made[#made + 1] = wrk.format(method, path, headers, body ~= "" and body or nil)
   end
end

function request()
   place = place % #made + 1
   return made[place]
end

function done(summary, latency, requests)
   local errors = summary.errors
   io.write(string.format(
      'RESULT {"requests": %d, "seconds": %.6f, "p50": %.3f, "p99": %.3f, "failed": %d}\n',
      summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
      errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
