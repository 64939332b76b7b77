package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	ctx := context.Background()
	// PASTE: at its start
	if err != nil {
		log.Fatal(err)
	}
	var begun struct{ state, nonce, verifier string }
	var sub string
	var kept *oauth2.Token
	answer := func(w http.ResponseWriter, value any, err error) {
		if err != nil {
			log.Print(err)
			http.Error(w, err.Error(), 500)
			return
		}
		w.Header().Set("content-type", "application/json")
		json.NewEncoder(w).Encode(value)
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { answer(w, map[string]string{}, nil) })
	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		// PASTE: where somebody signs in
		begun.state, begun.nonce, begun.verifier = state, nonce, verifier
		http.Redirect(w, r, to, 302)
	})
	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		code, verifier := r.FormValue("code"), begun.verifier
		if r.FormValue("state") != begun.state {
			http.Error(w, "another state", 400)
			return
		}
		// PASTE: at its callback
		if err != nil || id.Nonce != begun.nonce {
			http.Error(w, fmt.Sprint("another nonce, or ", err), 400)
			return
		}
		kept, sub = token, id.Subject
		http.Redirect(w, r, "/who", 302)
	})
	http.HandleFunc("/who", func(w http.ResponseWriter, r *http.Request) {
		answer(w, map[string]string{"sub": sub}, nil)
	})
	http.HandleFunc("/refresh", func(w http.ResponseWriter, r *http.Request) {
		old := *kept
		old.Expiry = time.Now().Add(-time.Minute)
		fresh, err := config.TokenSource(ctx, &old).Token()
		if err == nil {
			kept = fresh
		}
		answer(w, map[string]bool{"refreshed": err == nil && kept.AccessToken != old.AccessToken}, err)
	})
	http.HandleFunc("/call", func(w http.ResponseWriter, r *http.Request) {
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(kept))
		answer(w, info, err)
	})
	http.HandleFunc("/logout", func(w http.ResponseWriter, r *http.Request) {
		var said struct {
			End string `json:"end_session_endpoint"`
		}
		provider.Claims(&said)
		raw, _ := kept.Extra("id_token").(string)
		sub = ""
		http.Redirect(w, r, said.End+"?id_token_hint="+url.QueryEscape(raw), 302)
	})
	at, _ := url.Parse(os.Getenv("URL"))
	log.Fatal(http.ListenAndServe(at.Host, nil))
}
