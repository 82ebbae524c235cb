-- For wrk: sends one kind of request over and over and prints the figures as one line of JSON.
-- Arguments: method, path, body, pause of each connection in milliseconds, on average. In the body, {number} stands
-- for a new number with each request. Each connection says that it comes from the address 203.0.113.1.

local method, path, body, pause, number = "GET", "/", "", 0, 0
local threads = 0

function setup(thread)
   threads = threads + 1
   thread:set("thread", threads)
end

function init(arguments)
   method, path, body, pause = arguments[1], arguments[2], arguments[3], tonumber(arguments[4])
   wrk.headers["Content-Type"] = "application/json"
   wrk.headers["X-Forwarded-For"] = "203.0.113.1"
end

function delay()
   return math.random(0, 2 * pause)
end

function request()
   number = number + 1
   local filled = body:gsub("{number}", thread * 1000000000 + number)
   return wrk.format(method, path, nil, body ~= "" and filled or nil)
end

function done(summary, latency, requests)
   local errors = summary.errors
   io.write(string.format(
      'RESULT {"requests": %d, "seconds": %.6f, "refused": %d, "lost": %d}\n',
      summary.requests, summary.duration / 1e6, errors.status,
      errors.connect + errors.read + errors.write + errors.timeout))
end
